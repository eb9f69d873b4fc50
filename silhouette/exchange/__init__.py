"""EXCHANGE: tables of other programs become scenes, and scenes become tables of other programs."""

"""TELL: tools for assistants, by the Model Context Protocol: a question about the scenes of a folder -> the same answer
as on the command line, in one sentence and as JSON, with pictures.

    call -> Arguments -> ServedFolder -> judging, drawing -> ToolAnswer
            check        confine         the rooms above     tell
"""

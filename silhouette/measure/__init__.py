"""COUNT: views of a target and what may stand before it go in; integer counts and a stated error come out.

Other rooms describe an `observe.Sight` and call `observe.observe`; it gives an `observe.Observation`.
"""

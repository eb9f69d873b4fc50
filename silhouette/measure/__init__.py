"""COUNT: sights go in, who looks at whom past what; an Observation for each comes out: integer counts, a stated error.

Other rooms describe an `observation.Sight` and call `observe.observe_many`, which measures all of a list together.
"""

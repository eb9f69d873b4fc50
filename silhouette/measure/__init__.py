"""COUNT: views of a target and what may stand before it go in; integer counts and a stated error come out.

Others use `observe.look` and `observe.arcs_of`, or `silhouette.measure` with a `samples.SampleRequest`.
"""

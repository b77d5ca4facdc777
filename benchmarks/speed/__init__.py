"""How fast logbert is: rows measured against named peers in the same run. `benchmarks/README.md` says how to add one.

Modules of this package import nothing but the standard library at their top: whatever is measured is imported inside
the function that is measured, in a process of its own, so that memory and start-up are its own, too.
"""

"""The app: from a table to a certified release in a browser, on this machine alone.

``server`` starts it, ``guard`` lets in who may, ``app`` has the routes. ``session`` holds what
was chosen, as the tables of a question file; ``jobs`` runs what takes long. Each screen is a
module that turns the session into what its template shows. Nothing is computed here that the
library does not compute.
"""

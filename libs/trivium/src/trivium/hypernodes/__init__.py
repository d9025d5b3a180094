"""HyperNodes (RAGA R8): one for each document and each section; it joins the passages there and their entities.

HAS_EVIDENCE leads from a HyperNode to its passages; it is stored, with each passage's row of the graph. MENTIONS_ENTITY
(from a HyperNode to the names in its passages) and EVIDENCED_BY (back) are read along the passages' mentions, so that
they follow every edit of the graph. READ FIRST: `sections.py`, then `centroids.py`.
"""

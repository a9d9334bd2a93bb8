"""When two texts say the same thing: equal but for case and white space. Light: shared with hooks.

Stores compare it with what they read, too, so it is at home among the hashes.
"""

from holdfast.model.ids import fingerprint as fingerprint

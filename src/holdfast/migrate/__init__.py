"""Memory from one store into another, whatever their backends."""

"""One module per format; each defines `FORMAT`, and the registry finds it by being here."""

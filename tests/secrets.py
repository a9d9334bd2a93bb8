"""Secrets for tests, put together at run time: none of them stands in a file."""

GITHUB = "ghp" + "_" + "aB3dE9gH1jK2mN4pQ5rS6tU7vW8xY0zA1bC2"
AWS = "AKIA" + "QYLPMN5H" + "HHFPZAM2"
STRIPE = "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
MAIL = "quentin.zapotec" + "@" + "corp-mail.io"
CARD = "4539 1488" + " 0343 6467"
WORD = "Zq7" + "vTulip" + "9xWm"
"""A password: only the name before it gives it away."""

TOKENS = (GITHUB, AWS, STRIPE)
ALL = (*TOKENS, MAIL, CARD, WORD)
PRIVATE = "Xylophagous" + "Quokka"
"""A word that is private, not secret."""

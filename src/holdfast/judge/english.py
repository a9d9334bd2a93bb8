"""Tell English from other languages, in which the full judge is too sure.

Small words of seven languages that are no English words, and letters with marks, are counted against small English
words; a text of another script is not English. Light. docs/judge.md has the figures by language.
"""

from holdfast.model.patterns import regex

_WORD = regex(r"[^\W\d_]+")
_LATIN_END = "\u024f"
_MARKED = frozenset("àáâãäåæçèéêëìíîïñòóôõöøœßùúûüýÿ")
_ENGLISH = frozenset(
    (
        "the is are was be been to of and or it its this that these those you your we our they them their he "
        "she his not with for from if then when what which who how why should must can could would will never "
        "always every only but because use don have has had does did please now there here into about just "
        "all any i my "
    ).split()
)
_OTHER = frozenset(
    (
        "das ein eine einen einem einer nicht kein keine ist sind wird werden wurde auch nur noch schon mit "
        "von für auf bei aus nach zum zur wir ich der und oder aber wenn dass weil bitte immer nie hier jetzt "
        "doch alle unser dem den des vom mal uns mir dich kann soll muss darf wie le la les un une du de est "
        "sont pas ne ni que qui quoi dans pour avec sans sur au aux ce cette ces cet ça elle nous vous je il "
        "ils mais ou où donc toujours jamais ici tout tous fait faut être el los las uno una del al es está "
        "están hay con sin por para como pero si sí siempre nunca aquí ahora más muy nada ya lo se su sus "
        "esta este esto ese esa eso nosotros yo porque cuando donde um uma da dos na nas em são não sem pra "
        "mas aqui agora muito tudo ele ela eu isso esse essa aí lá quando foi ser tem vai gli di che è della "
        "nel alla anche sempre mai questo questa het een niet van voor zijn wij ook maar altijd nooit och att "
        "det som är inte på av "
    ).split()
)


def is_english(text: str) -> bool:
    """Return whether a text may be English; a text without small words may."""
    words = _WORD.findall(text.lower())
    letters = sum(map(len, words))
    foreign_letters = sum(letter > _LATIN_END for word in words for letter in word)
    if 3 * foreign_letters > letters:
        return False
    english = sum(word in _ENGLISH for word in words)
    other = sum(word in _OTHER or not _MARKED.isdisjoint(word) for word in words)
    return other <= english

"""Which language a text is written in, where that can be told.

Pure but for a model of 4.5 MB that comes with py3langid and is read at the first need: about half
a second, and 100 MB in the process that asks. Only workers do.
"""

import re
from functools import cache
from typing import Any

# Fewer letters than these say too little: of the English texts this was tried on, see
# docs/automatic-checks.md.
MIN_LETTERS = 40
# Below this the model's first guess is left undecided.
SURE = 0.9
MAX_READ = 20_000

# Told apart well enough to fail a text by. Codes of ISO 639-1.
LANGUAGES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "ca": "Catalan",
    "cs": "Czech",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "ga": "Irish",
    "gu": "Gujarati",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "kn": "Kannada",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mr": "Marathi",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sq": "Albanian",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
# Written alike: neither fails a text that is wanted in the other.
_ALIKE: tuple[frozenset[str], ...] = (
    frozenset({"no", "nn", "da"}),
    frozenset({"hr", "bs", "sr"}),
    frozenset({"id", "ms"}),
    frozenset({"zh", "yue", "wuu"}),
    frozenset({"ar", "ary", "arz"}),
    frozenset({"en", "pcm"}),
    frozenset({"cs", "sk"}),
    frozenset({"nl", "af"}),
    frozenset({"es", "gl", "pt"}),
)
_CODE = re.compile(r"`[^`\n]*`|https?://\S+")


def language_of(text: str) -> str | None:
    """The code of the language; None where the text is too short or the model is not sure."""
    plain = _prose(text)[:MAX_READ]
    if sum(map(str.isalpha, plain)) < MIN_LETTERS:
        return None
    code, sure = _model().classify(plain)
    return str(code) if sure >= SURE and code != "zxx" else None


def called(code: str) -> str:
    return LANGUAGES.get(code, code)


def written_in(text: str, wanted: tuple[str, ...]) -> tuple[bool, str]:
    """Whether a text may be in one of these languages, and the language found ('' for none)."""
    found = language_of(text)
    if found is None:
        return True, ""
    alike = {found}.union(*(group for group in _ALIKE if found in group))
    return not alike.isdisjoint(wanted), found


def _prose(text: str) -> str:
    """Without blocks and bits of code, and without addresses: they are in no language."""
    kept, in_code = [], False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code:
            kept.append(line)
    return _CODE.sub(" ", "\n".join(kept))


@cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

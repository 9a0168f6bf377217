"""The words that `rubrics.hints` looks for. Pure.

Each list is narrow on purpose. Where a word has an innocent sense in the trades that use this (a
letter of intent, natural gas, good faith), the sense is spelled out and let through.

Every pattern takes time in step with the text: a run of letters of any length begins at a word's
edge and has an upper bound, and a quotation ends at the next mark that opens one.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


QUOTED = re.compile('“[^“”]*”|"[^"]*"|‘[^‘’]*’|«[^«»]*»|`[^`]*`')

# Verbs that begin a second claim after "and"; nouns in a list stay one claim.
_VERBS = (
    "is|are|has|have|does|do|states?|names?|gives?|lists?|explains?|describes?|includes?|contains?"
    "|cites?|answers?|addresses|uses?|avoids?|follows?|offers?|mentions?|identifies|provides?"
    "|summari[sz]es|recommends?|warns?|asks?|matches|ends?|starts?|begins?|tells?|says?|shows?"
    "|links?|refers?|makes?|keeps?|sets?|flags?|quotes?|repeats?|apologi[sz]es|thanks|proposes?"
    "|suggests?|confirms?|closes|opens|leaves?|comes?|fits?|covers?|reads?|was|were|can|cannot"
    "|will|must|should"
)
_QUALITIES = (
    "clear|concise|polite|accurate|complete|correct|friendly|professional|helpful|relevant"
    "|coherent|consistent|fluent|natural|specific|readable|thorough|honest|safe|neutral|warm"
    "|respectful|empathetic|factual|brief|short|well[- ]\\w{1,40}|grammatical|useful|actionable"
)
COMPOUND = _any(
    r"\band/or\b",
    r"\bas well as\b",
    r"\bnot only\b",
    rf"(?<!\bbetween )\b(?:{_QUALITIES}),? and (?:\w{{1,40}}ly )?(?:{_QUALITIES})\b",
    # "and names an owner", "and does not guess"; not "dates and names", "and ends" as nouns.
    rf"\b\w{{1,40}},? (?:and|but) (?:it |they |also |then |never |\w{{1,40}}ly )?(?:{_VERBS})"
    r"(?= (?:a|an|the|no|not|its?|each|every|any|all|one|at|with|to|of|what|who|when|how|why|in|on"
    r"|that|this|which|their|them|\w{1,40}ed|\w{1,40}ly|\w{1,40}s)\b)",
)

VAGUE = _any(
    r"\b(?:good|bad|great|nice|poor|excellent|strong|weak)\b(?! (?:faith|friday|cause|standing))",
    r"\b(?:in)?appropriate(?:ly|ness)?\b",
    r"\bprofessional(?:ly|ism)?\b(?! (?:indemnity|liability|licen|services|body|title))",
    r"\b(?:un)?clear(?:ly)?\b(?! (?:the|a|all|customs|of)\b)",
    r"\bclarity\b",
    r"\bquality\b(?! (?:control|assurance|report))",
    r"\bwell[- ](?:written|structured|organi[sz]ed|formatted|reasoned|crafted|explained|done)\b",
    r"\b(?:un)?helpful(?:ly|ness)?\b",
    r"\buseful(?:ly|ness)?\b(?! life)",
    r"\badequate(?:ly)?\b",
    r"\b(?<!as )(?:un)?reasonabl[ey]\b(?! (?:doubt|accommodation|adjustment))",
    r"\bsufficient(?:ly)?\b",
    r"\bproper(?:ly)?\b(?! (?:names?|nouns?))",
    r"\bconcise(?:ly|ness)?\b",
    r"\bengaging\b",
    r"\bnatural(?:ly)?\b(?! (?:gas|persons?|numbers?|language|disasters?|logarithms?|causes?))",
    r"\b(?:un)?friendly\b",
    r"\b(?:im)?polite(?:ly|ness)?\b",
    r"\bsensible\b",
    r"\brespectful(?:ly)?\b",
    r"\bempath(?:y|etic|etically)\b",
    r"\bhigh[- ](?:quality|level)\b",
    r"\breadable\b",
    r"\b(?:ir)?relevan(?:t|ce)\b(?! (?:sections?|clauses?|statutes?|parties))",
    r"\b(?:actionable|practical|logically sound|unnecessar(?:y|ily)|inclusive)\b",
    r"\beasy to (?:read|understand|follow)\b",
    r"\bto the point\b",
    r"\bmakes? sense\b",
    r"\bflows?\b(?= (?:well|naturally|smoothly))",
    r"\btoo (?:long|short|much|many|formal|technical|vague|detailed)\b",
)
IMPORTANT = _any(
    r"\b(?:important|key|main|relevant|significant|essential|necessary|major|critical)"
    r" (?:points?|information|details?|facts?|aspects?|items?|things?|parts?|elements?|issues?"
    r"|findings?|steps?|context)\b",
)
HEDGES = _any(
    r"\betc\b\.?",
    r"\band so on\b",
    r"\b(?:where|when|if|as) (?:possible|appropriate|needed|necessary|relevant|applicable)\b",
    r"\b(?:generally|mostly|usually|largely|more or less|to some extent|reasonably)\b",
)
UNOBSERVABLE = _any(
    r"\b(?:author|writer|model|assistant|response|reader|user|customer)(?:'s|’s) "
    r"(?:intent(?:ion)?s?|understanding|beliefs?|feelings?|motives?)\b",
    r"\b(?:truly |really |fully )?(?:understands?|understood|grasps?|comprehends?)\b",
    r"(?<!memorandum of )(?<!\bthe )\bunderstanding of\b",
    r"\b(?:intends?|means|meant|wants?|hopes?|tries|tried|attempts?) to\b",
    r"\b(?:believes?|feels?|thinks?|cares?)\b(?! (?:plan|home|provider|team|facility|of))",
    r"\bknows?\b",
    r"\bmakes? an effort\b",
    r"\b(?:is|are|was|being) aware\b",
    r"\b(?:genuine|sincere|honest|thoughtful)(?:ly)?\b",
    r"\b(?:considers|takes? into account|pays? attention to|keeps? in mind)\b",
    r"\b(?:confident|satisfied|reassured|confused|convinced)\b",
)
NEGATORS = (
    r"\b(?:not|no|never|nothing|none|nobody|neither|nor|without|cannot|\w{1,40}n['’]t|free of"
    r"|avoids?)\b"
)
DOUBLE_NEGATIVE = _any(
    r"\b(?:not|never|n['’]t|no|nothing|cannot|without)(?: \w{1,40}){0,4}? "
    r"(?:fail(?:s|ing)? to|lack(?:s|ing)?"
    r"|omit(?:s|ted|ting)?|missing|absent|ignor(?:es?|ed|ing)|neglect\w*|left out|overlook\w*"
    r"|un(?:supported|explained|answered|clear|necessary|founded|addressed|mentioned|resolved)"
    r"|in(?:accurate|correct|complete|consistent))\b",
    r"\b(?:fails?|neglects?|refuses?|forgets?) to (?:avoid|omit|leave out|exclude)\b",
)
_BAD = (
    r"errors?|mistakes?|hallucinations?|jargon|typos?|filler|contradictions?|placeholders?|slang"
    r"|profanity|repetitions?|pii|personal (?:data|information|details)|falsehoods?|inaccuracies"
    r"|misspellings?|insults?|bias(?:es)?|clich[eé]s?|fluff|padding|omissions?|guess(?:es)?"
    r"|speculation|fabrications?|flaws?|problems?"
)
BAD_THINGS = _any(
    r"\b(?:contains?|includes?|has|have|uses?|makes?|shows?|there (?:is|are)|leaks?|reveals?"
    r"|discloses?)\b"
    rf"(?! no\b| at most\b)(?: (?!no\b|not\b|none\b|without\b)[\w-]{{1,40}}){{0,3}}? (?:{_BAD})\b"
    r"(?! (?:messages?|statements?|codes?|bars?|rates?|logs?|handling|reports?|terms?|of each))",
)
YES_IS_BAD = _any(
    r"\bfails? to\b",
    r"\b(?:lacks?|misses|ignores?|contradicts?|violates?|breaches|hallucinates?|invents?|misstates?"
    r"|misleads?|exceeds?|distorts?|misquotes?|leaks?|rambles?)\b",
    r"\b(?:is|are) (?:\w{1,40}ly )?(?:wrong|incorrect|inaccurate|misleading|missing|unsupported"
    r"|rude|offensive|outdated|false|off[- ]topic|verbose|incomplete|irrelevant|unsafe|biased"
    r"|harmful)\b",
)
COMPARATIVES = _any(
    r"\b(?:better|worse|clearer|simpler|shorter|longer|stronger|weaker|easier|harder|safer|faster"
    r"|warmer|plainer|nicer|friendlier)\b(?!(?: \w{1,40}){0,6} than\b)",
    r"(?<!\bno )(?<!\bor )(?<!\bany )(?<!\bonce )(?<!\bone )\b(?:more|less)"
    r" (?:\w{1,40}ly |accurate|complete|precise|helpful|specific|concise|detailed|formal|polite"
    r"|readable|useful|relevant|natural|direct|technical|plain)(?!(?: \w{1,40}){0,6} than\b)",
    r"\b(?:best|worst|most (?:helpful|useful|accurate|relevant|important|likely|complete)"
    r"|strongest|clearest|simplest)\b"
    r"(?! (?:before|practice))",
)
# What a claim of accuracy is measured against.
MEASURED = _any(
    r"\b(?:match(?:es)?|source|file|record|policy|document|report|guideline|statute|contract"
    r"|according|per|against|in the|from the|to the|of the|transcript|database|table|question"
    r"|prompt|instructions?|law|code|invoice|list|address|sentences?)\b",
)
CODE = _any(
    r"\b(?:at most|under|fewer than|less than|no more than|at least|below|over|up to|within"
    r"|between|exactly|more than|exceeds?)\b[\w\s,]{0,20}?\b(?:words?|characters?)\b",
    r"\b\d[\d,]* (?:words|characters) or (?:fewer|less|more)\b",
)
CONDITION = _any(
    r"^(?:if|when|whenever|where)\b[^,]*,",
    r"(?<!says )(?<!states )(?<!tells )(?<!explains )(?<!names )(?<!gives )(?<!asks )"
    r"\b(?:if|when|whenever) (?:a|an|the|any|there|it|they|no|one|someone)\b",
)
_SMALL = """
    a an the of to in on at for with and or is are was be been it its that this which any every
    each all no not does do has have from by as than response responses answer letter text there
    what who when
"""
STOP_WORDS = frozenset(_SMALL.split())

"""Text that a model or a person wrote → HTML that is safe to show. Pure.

`markdown` reads it, `highlighting` colours code, `formulas` finds mathematics and `mathematics`
draws it, `characters` makes hidden ones visible, `safe_html` lets through what is allowed.
"""

from annotate.rendering.safe_html import (
    RENDERER_VERSION,
    cache_key,
    render,
    source,
    source_in_blocks,
    word_count,
)

__all__ = ["RENDERER_VERSION", "cache_key", "render", "source", "source_in_blocks", "word_count"]

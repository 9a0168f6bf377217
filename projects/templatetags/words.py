from django import template
from django.template.defaultfilters import stringfilter

register = template.Library()


@register.filter
@stringfilter
def words(name: str) -> str:
    """`round.started` and `import_pairs` as a reader would say them."""
    return name.replace(".", " ").replace("_", " ")

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm

from projects.models import User

if TYPE_CHECKING:
    from django.http import QueryDict


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": "This name and password do not belong together. Both are case-sensitive.",
        "inactive": "This account has ended. Ask the lead of your project.",
    }


class MailForm(forms.Form):
    """Where notices are mailed. An empty address, or an empty box, and none are."""

    email = forms.EmailField(
        label="Address",
        required=False,
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    mail_notices = forms.BooleanField(label="Mail me my notices, too", required=False)

    @classmethod
    def of(cls, user: User) -> MailForm:
        return cls(initial={"email": user.email, "mail_notices": user.mail_notices})


class NewPasswordForm(PasswordChangeForm):
    def __init__(self, user: User, data: QueryDict | None) -> None:
        super().__init__(user, data)
        self.fields["old_password"].label = "Password now"
        self.fields["new_password1"].label = "New password"
        self.fields["new_password1"].help_text = "12 characters at least, and none of the usual."
        self.fields["new_password2"].label = "New password once more"
        self.fields["new_password2"].help_text = ""


class KeysForm(forms.Form):
    """Which keys the label page answers to."""

    keys = forms.ChoiceField(
        label="Keys on the label page", choices=User.Keys.choices, widget=forms.RadioSelect
    )

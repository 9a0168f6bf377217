from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm

if TYPE_CHECKING:
    from django.http import QueryDict

    from projects.models import User


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": "This name and password do not belong together. Both are case-sensitive.",
        "inactive": "This account has ended. Ask the lead of your project.",
    }


class NewPasswordForm(PasswordChangeForm):
    def __init__(self, user: User, data: QueryDict | None) -> None:
        super().__init__(user, data)
        self.fields["old_password"].label = "Password now"
        self.fields["new_password1"].label = "New password"
        self.fields["new_password1"].help_text = "12 characters at least, and none of the usual."
        self.fields["new_password2"].label = "New password once more"
        self.fields["new_password2"].help_text = ""

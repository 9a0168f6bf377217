from django.urls import path

from projects import notice_views, views

app_name = "projects"

urlpatterns = [
    path("login/", views.SignIn.as_view(), name="login"),
    path("login/here/", views.SignInHere.as_view(), name="login_here"),
    path("logout/", views.SignOut.as_view(), name="logout"),
    path("account/", views.account, name="account"),
    path("account/mail/", notice_views.account_mail, name="account_mail"),
    path("notices/", notice_views.notices, name="notices"),
    path("notices/read/", notice_views.notices_read, name="notices_read"),
    path("notices/<uuid:public_id>/", notice_views.notice_open, name="notice_open"),
    path("account/keys/", views.account_keys, name="account_keys"),
    path("p/<slug:slug>/jobs/<uuid:public_id>/", views.job, name="job"),
]

from django.urls import path

from projects import views

app_name = "projects"

urlpatterns = [
    path("login/", views.SignIn.as_view(), name="login"),
    path("logout/", views.SignOut.as_view(), name="logout"),
    path("account/", views.account, name="account"),
    path("p/<slug:slug>/jobs/<uuid:public_id>/", views.job, name="job"),
]

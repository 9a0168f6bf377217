"""The only reader of the environment; docs/configuration.md has the table of every variable."""

import secrets
from pathlib import Path
from typing import Any

import dj_database_url
import dj_email_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from environs import Env

env = Env()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = env.path("CALIBRANT_VAR", default=BASE_DIR / "var")
# Votes, password hashes and sessions lie in it: no other account of the machine reads them.
VAR_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)


def embedded_secret_key() -> str:
    """A key made once and kept beside the embedded database, so that sessions survive a restart."""
    file = VAR_DIR / "secret_key"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(50))
    return file.read_text()


SECRET_KEY = env.str("SECRET_KEY", default="") or embedded_secret_key()
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CALIBRANT_VERSION = env.str("CALIBRANT_VERSION", default="0.1.0")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "annotate.apps.CalibrantAdminConfig",
    "axes",
    "csp",
    "django_htmx",
    "template_partials.apps.SimpleAppConfig",
    "projects",
    "rubrics",
    "annotate",
    "judges",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "projects.middleware.times_of_project",
    "projects.middleware.refuse_large",
    "projects.middleware.keep_nothing",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "projects.middleware.refuse_nul",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

_loaders: list[Any] = [
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "builtins": ["template_partials.templatetags.partials"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    _loaders if DEBUG else [("django.template.loaders.cached.Loader", _loaders)],
                )
            ],
        },
    },
]

DATABASE_URL = env.str("DATABASE_URL", default="") or f"sqlite:///{VAR_DIR / 'calibrant.sqlite3'}"
# Web workers are processes of a few threads that each keep one connection, so a pool would hold no
# more; a kept connection is tried before it is used, since the server may have been restarted.
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True)
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "projects.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "projects:login"
LOGIN_REDIRECT_URL = "annotate:home"
LOGOUT_REDIRECT_URL = "projects:login"

# The pair (person, address) is what is locked: a stranger cannot lock a colleague out.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "projects.views.locked_out"
# Trying while locked does not lengthen the wait: the time that was promised holds.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "projects.static_files.HashedFiles"
        if env.bool("CALIBRANT_HASHED_STATIC", default=not DEBUG)
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "base-uri": [NONE],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "img-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"

HTTPS = env.bool("CALIBRANT_HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
if env.bool("CALIBRANT_BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    AXES_CLIENT_IP_CALLABLE = "projects.addresses.behind_proxy"

# An upload of a few hundred megabytes goes through a file, never through memory, and lies from its
# first byte where nobody else of the machine reads it.
CALIBRANT_MAX_UPLOAD_MB = env.int("CALIBRANT_MAX_UPLOAD_MB", default=512)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# The form of a rubric has a field for each part of each check: a hundred checks are two thousand.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
FILE_UPLOAD_TEMP_DIR = VAR_DIR / "uploads"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True, mode=0o700)

# Notices stand in the app; a mail server is needed only by whom a mail should reach, too.
CALIBRANT_SITE_URL = env.str("CALIBRANT_SITE_URL", default="").rstrip("/")
DEFAULT_FROM_EMAIL = env.str("CALIBRANT_EMAIL_FROM", default="Calibrant <calibrant@localhost>")
CALIBRANT_EMAIL_URL = env.str("CALIBRANT_EMAIL_URL", default="")
MAIL_NOTICES = bool(CALIBRANT_EMAIL_URL)
EMAIL_TIMEOUT = 10
if MAIL_NOTICES:
    _email = dj_email_url.parse(CALIBRANT_EMAIL_URL)
    if _email.get("EMAIL_BACKEND") != dj_email_url.SCHEMES["smtp"]:
        raise ImproperlyConfigured("CALIBRANT_EMAIL_URL begins with smtp:// or submission://.")
    if not CALIBRANT_SITE_URL:
        raise ImproperlyConfigured("CALIBRANT_SITE_URL is missing: mails name pages.")
    EMAIL_BACKEND = _email["EMAIL_BACKEND"]
    EMAIL_HOST, EMAIL_PORT = _email["EMAIL_HOST"], _email["EMAIL_PORT"]
    EMAIL_HOST_USER = _email["EMAIL_HOST_USER"] or ""
    EMAIL_HOST_PASSWORD = _email["EMAIL_HOST_PASSWORD"] or ""
    EMAIL_USE_TLS, EMAIL_USE_SSL = _email["EMAIL_USE_TLS"], _email["EMAIL_USE_SSL"]
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://")
CELERY_TASK_DEFAULT_QUEUE = env.str("CALIBRANT_QUEUE", default="calibrant")
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# A worker that has not been heard of for a lease is taken for lost; sweeps look for such work.
CALIBRANT_LEASE_S = env.float("CALIBRANT_LEASE_S", default=60.0)
CALIBRANT_SWEEP_S = env.float("CALIBRANT_SWEEP_S", default=30.0)
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "annotate.tasks.sweep",
        "schedule": CALIBRANT_SWEEP_S,
        # Behind a long job, sweeps do not pile up.
        "options": {"expires": 10 * CALIBRANT_SWEEP_S},
    },
}
if CELERY_BROKER_URL.startswith("filesystem"):
    BROKER_DIR = VAR_DIR / "broker"
    for name in ("queue", "processed", "control"):
        (BROKER_DIR / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "queue"),
        "data_folder_out": str(BROKER_DIR / "queue"),
        "processed_folder": str(BROKER_DIR / "processed"),
        "control_folder": str(BROKER_DIR / "control"),
        "store_processed": True,
    }

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    # The embedded broker has no host to name, which kombu warns of at every connection.
    "loggers": {"kombu.connection": {"level": "ERROR"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
}

"""The HTTP application: `app.create_app(services)`."""

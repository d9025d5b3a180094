"""The HTTP door: `app.create_app(services)`."""

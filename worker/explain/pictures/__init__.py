"""Pictures of what the service knows, written as SVG or PNG: functions of their arguments."""

def to_html(report):
    return ""

project = "harbor"

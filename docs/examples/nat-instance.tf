# A NAT instance on AWS by Terraform or OpenTofu, in a VPC that exists. Write its user data first:
#   npm run nat-script -- --cloud aws --private-cidrs 10.0.1.0/24 --out nat-user-data.b64

variable "vpc_id" {
  type = string
}

variable "public_subnet_id" {
  description = "Its route table leads 0.0.0.0/0 to an internet gateway."
  type        = string
}

variable "private_route_table_ids" {
  description = "Route tables of the private subnets, without a route 0.0.0.0/0."
  type        = set(string)
}

data "aws_ssm_parameter" "ubuntu" {
  name = "/aws/service/canonical/ubuntu/server/24.04/stable/current/arm64/hvm/ebs-gp3/ami-id"
}

resource "aws_security_group" "nat" {
  name_prefix = "nat-"
  vpc_id      = var.vpc_id

  # The private blocks of the user data.
  ingress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["10.0.1.0/24"]
  }

  egress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_network_interface" "nat" {
  subnet_id         = var.public_subnet_id
  security_groups   = [aws_security_group.nat.id]
  source_dest_check = false
}

resource "aws_eip" "nat" {
  domain            = "vpc"
  network_interface = aws_network_interface.nat.id
}

resource "aws_instance" "nat" {
  ami                         = nonsensitive(data.aws_ssm_parameter.ubuntu.value)
  instance_type               = "c7gn.medium"
  user_data_base64            = trimspace(file("${path.module}/nat-user-data.b64"))
  user_data_replace_on_change = true

  primary_network_interface {
    network_interface_id = aws_network_interface.nat.id
  }

  # Containers on the machine, and clients behind it, are a hop further away and read no credentials.
  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  # The first boot fetches packages, through this address.
  depends_on = [aws_eip.nat]

  # A newer image is a reason to replace the machine when you choose to.
  lifecycle {
    ignore_changes = [ami]
  }
}

resource "aws_route" "private" {
  for_each               = var.private_route_table_ids
  route_table_id         = each.value
  destination_cidr_block = "0.0.0.0/0"
  network_interface_id   = aws_network_interface.nat.id
}

output "public_ip" {
  value = aws_eip.nat.public_ip
}

/** The images of moto in these tests: it has none of EKS. `MOTO_AMIS_PATH` reads them in this form. */
export const MOTO_IMAGES = (['x86_64', 'arm64'] as const).map((architecture, index) => ({
  ami_id: `ami-0a1b2c3d4e5f6000${index}`,
  name: `amazon-eks-node-al2023-${architecture}-standard-1.33-v20261001`,
  description: 'EKS-optimized Kubernetes node based on Amazon Linux 2023',
  architecture,
  owner_id: '602401143452',
  image_location: 'amazon/eks',
  state: 'available',
  public: true,
  image_type: 'machine',
  hypervisor: 'xen',
  virtualization_type: 'hvm',
  root_device_name: '/dev/xvda',
  root_device_type: 'ebs',
}));

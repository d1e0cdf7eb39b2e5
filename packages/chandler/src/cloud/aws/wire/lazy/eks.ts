/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  CreateAccessEntryCommand,
  CreatePodIdentityAssociationCommand,
  DeleteAccessEntryCommand,
  DeletePodIdentityAssociationCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  DescribePodIdentityAssociationCommand,
  EKSClient as Client,
  ListAddonsCommand,
  ListPodIdentityAssociationsCommand,
} from '@aws-sdk/client-eks';

/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  EKSClient as Client,
} from '@aws-sdk/client-eks';

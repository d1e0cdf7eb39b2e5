/** Options of `chandler check` about the live account of AWS. */

export const LIVE_AWS_OPTIONS = {
  liveAws: {
    flag: 'live-aws',
    type: 'boolean',
    default: false,
    doc: 'Also read the account of AWS, with the credentials that the AWS SDKs find; nothing is changed there',
  },
  clusterName: {
    flag: 'cluster-name',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'With --live-aws: the name of the cluster. Default: the name in the files',
  },
  region: {
    flag: 'region',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'REGION',
    doc: 'With --live-aws: the region of the cluster. Default: the region in the files, otherwise AWS_REGION, otherwise that of the profile',
  },
  profile: {
    flag: 'profile',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'With --live-aws: the profile of the AWS command line. Default: AWS_PROFILE',
  },
  iamPolicy: {
    flag: 'iam-policy',
    type: 'boolean',
    default: false,
    doc: 'Print the policy of IAM that --live-aws needs, and check nothing',
  },
} as const;

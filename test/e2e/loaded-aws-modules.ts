/** What loaded-modules.ts is for Azure, for AWS: its SDKs, the cloud of the product, and the simulated AWS. */
import '@aws-sdk/client-ec2';
import '@aws-sdk/client-eks';
import '@aws-sdk/client-iam';
import '@aws-sdk/client-pricing';
import '@aws-sdk/client-sqs';
import '@aws-sdk/client-ssm';
import '@aws-sdk/client-sts';
import '@chandler/cloudsim/aws';
import '../../packages/chandler/src/cloud/aws/index.ts';

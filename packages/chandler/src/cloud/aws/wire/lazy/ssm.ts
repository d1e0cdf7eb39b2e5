/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  GetParameterCommand,
  SSMClient as Client,
} from '@aws-sdk/client-ssm';

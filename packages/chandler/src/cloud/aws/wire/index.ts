/** Entry point: the calls to AWS. */
export type {
  AwsCalls,
  Call,
  CallOptions,
  Ec2Calls,
  EksCalls,
  IamCalls,
  PricingCalls,
  SqsCalls,
  SsmCalls,
  StsCalls,
} from './calls.ts';
export { allPages } from './pages.ts';

/** What is counted about requests to AWS: by our own names, and by those of upstream, whose dashboards and alerts read them. */
import type { World } from '@chandler/kube';
import type { AwsService } from './actions.table.ts';

export interface CallMetrics {
  /** A request has ended. Status 0: without a response. */
  count(service: AwsService, action: string, status: number, seconds: number): void;
}

export function callMetrics({ metrics }: Pick<World, 'metrics'>): CallMetrics {
  const requests = metrics.counter({
    name: 'chandler_aws_requests_total',
    help: 'Requests to AWS by service, action and status; status 0 means no response',
    labels: ['service', 'action', 'status'],
  });
  const labels = ['service', 'action', 'code'];
  const buckets = Array.from({ length: 20 }, (_, power) => 0.01 * 1.5 ** power);
  const total = metrics.counter({ name: 'aws_sdk_go_request_total', help: 'Calls to AWS', labels });
  const attempts = metrics.counter({
    name: 'aws_sdk_go_request_attempt_total',
    help: 'Requests to AWS; a call is one request, since retries are calls of their own',
    labels,
  });
  const duration = metrics.histogram({
    name: 'aws_sdk_go_request_duration_seconds',
    help: 'Duration of calls to AWS',
    labels,
    buckets,
  });
  const attemptDuration = metrics.histogram({
    name: 'aws_sdk_go_request_attempt_duration_seconds',
    help: 'Duration of requests to AWS',
    labels,
    buckets,
  });
  return {
    count(service, action, status, seconds) {
      requests.add(1, { service, action, status: String(status) });
      const upstream = { service: SERVICE_IDS[service], action, code: String(status) };
      total.add(1, upstream);
      attempts.add(1, upstream);
      duration.observe(seconds, upstream);
      attemptDuration.observe(seconds, upstream);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** As the SDKs call them. */
const SERVICE_IDS: Readonly<Record<AwsService, string>> = {
  'arc-zonal-shift': 'ARC Zonal Shift',
  ec2: 'EC2',
  eks: 'EKS',
  events: 'EventBridge',
  iam: 'IAM',
  kms: 'KMS',
  pricing: 'Pricing',
  servicequotas: 'Service Quotas',
  sqs: 'SQS',
  ssm: 'SSM',
  sts: 'STS',
};

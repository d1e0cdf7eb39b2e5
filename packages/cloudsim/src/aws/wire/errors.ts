/**
 * Errors of AWS: a code, a message and a status. How one looks on the wire depends on the protocol of the service and is
 * decided in protocols.ts.
 */

export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export function awsError(code: string, message: string, status = 400): AwsError {
  return new AwsError(code, message, status);
}

/** EC2 documents the status of few codes; all others are 400. */
export function ec2Error(code: string, message: string): AwsError {
  return new AwsError(code, message, EC2_STATUS[code] ?? 400);
}

export function dryRun(): AwsError {
  return ec2Error('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.');
}

export function invalidParameter(message: string): AwsError {
  return ec2Error('InvalidParameterValue', message);
}

export function missing(parameter: string): AwsError {
  return ec2Error('MissingParameter', `The request must contain the parameter ${parameter}`);
}

export function requestLimitExceeded(): AwsError {
  return ec2Error('RequestLimitExceeded', 'Request limit exceeded.');
}

// ---------------------------------------------------------------------------------------------------

const EC2_STATUS: Readonly<Record<string, number>> = {
  AuthFailure: 401,
  DryRunOperation: 412,
  InsufficientInstanceCapacity: 500,
  InternalError: 500,
  PendingVerification: 403,
  RequestLimitExceeded: 503,
  Unavailable: 503,
  UnauthorizedOperation: 403,
  OptInRequired: 401,
};

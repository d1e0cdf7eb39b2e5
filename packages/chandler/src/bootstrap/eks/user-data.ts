/** The result of rendering, its limits, and what can be wrong. */
import { Buffer } from 'node:buffer';
import type { RenderedVariable } from '../bootstrapper.ts';
import type { AmiFamily } from './input.ts';

/** EC2's limit, of the text before it is encoded. */
export const USER_DATA_LIMIT_BYTES = 16_384;
/** 90 % of it: from here on there is a warning. */
export const USER_DATA_WARNING_BYTES = 14_745;

export interface RenderedUserData {
  readonly family: AmiFamily;
  readonly text: string;
  /** As EC2 wants it. */
  readonly base64: string;
  /** Size of the text in bytes. */
  readonly bytes: number;
  /** Each value in the order of the text. */
  readonly values: readonly RenderedVariable[];
  readonly warnings: readonly UserDataWarning[];
}

export type UserDataWarningCode =
  /** The image family has no use for a field of the node class. */
  | 'ignoredByFamily'
  /** A setting in the user's own user data is replaced by the one of the node. */
  | 'replaced'
  /** Something in the user's own user data does not reach the node. */
  | 'dropped'
  /** The node will not be able to use a part of the user's own user data. */
  | 'unusable'
  /** Nodes of a custom image will not register. */
  | 'noUnregisteredTaint'
  | 'nearSizeLimit';

/** The launch goes on; the node class should say it. */
export interface UserDataWarning {
  readonly code: UserDataWarningCode;
  /** `spec.userData`. */
  readonly path: string;
  readonly message: string;
}

export type UserDataErrorCode =
  | 'userDataTooLarge'
  /** The user's own user data cannot be read as what it says it is. */
  | 'malformedUserData'
  /** A kubelet setting that the image family does not honour. */
  | 'unsupportedKubelet'
  /** A value that cannot be passed on. */
  | 'invalidValue'
  | 'serviceCidrUnknown';

/** The message is for people and may become a condition. It never contains user data. */
export class UserDataError extends Error {
  override readonly name = 'UserDataError';
  readonly code: UserDataErrorCode;
  /** The field or value at fault. */
  readonly path: string;

  constructor(code: UserDataErrorCode, path: string, message: string) {
    super(`${path}: ${message}`);
    this.code = code;
    this.path = path;
  }
}

/** What a format makes of the settings. */
export interface FormattedUserData {
  readonly text: string;
  readonly values: readonly RenderedVariable[];
  readonly warnings: readonly UserDataWarning[];
}

/** @throws {UserDataError} `userDataTooLarge`. */
export function finished(family: AmiFamily, formatted: FormattedUserData): RenderedUserData {
  const encoded = Buffer.from(formatted.text, 'utf8');
  const bytes = encoded.length;
  if (bytes > USER_DATA_LIMIT_BYTES) {
    throw new UserDataError(
      'userDataTooLarge',
      'spec.userData',
      `the user data of a node has ${bytes} bytes; the limit of EC2 is ${USER_DATA_LIMIT_BYTES}: ` +
        'shorten it, or let it download the rest; labels, taints and kubelet settings count too',
    );
  }
  const near: UserDataWarning[] =
    bytes < USER_DATA_WARNING_BYTES
      ? []
      : [
          {
            code: 'nearSizeLimit',
            path: 'spec.userData',
            message: `the user data of a node has ${bytes} of the ${USER_DATA_LIMIT_BYTES} bytes that EC2 accepts`,
          },
        ];
  return {
    family,
    text: formatted.text,
    base64: encoded.toString('base64'),
    bytes,
    values: formatted.values,
    warnings: [...formatted.warnings, ...near],
  };
}

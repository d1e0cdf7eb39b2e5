/** Custom data as Azure takes it: base64, and not more than it allows. */
import { Buffer } from 'node:buffer';
import { BootstrapError } from './bootstrapper.ts';

/** Of the text before it is encoded, and of the encoded one. */
export const CUSTOM_DATA_LIMIT_BYTES = 65_535;
export const CUSTOM_DATA_LIMIT_BASE64 = 87_380;

export interface CustomData {
  readonly base64: string;
  readonly bytes: number;
}

export function customDataOf(text: string): CustomData {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length > CUSTOM_DATA_LIMIT_BYTES) {
    throw new BootstrapError(
      'customDataTooLarge',
      `the custom data has ${encoded.length} bytes; the limit of Azure is ${CUSTOM_DATA_LIMIT_BYTES}: ` +
        'use fewer or shorter labels and taints on the NodePool, or a smaller CA bundle',
    );
  }
  return { base64: encoded.toString('base64'), bytes: encoded.length };
}

export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

export function fromBase64(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

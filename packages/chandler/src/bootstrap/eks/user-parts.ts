/**
 * The user's own user data of a Linux node as MIME parts. A text that is no MIME message is recognized by its first line,
 * as cloud-init does; on AL2023 a YAML map is a NodeConfig.
 */
import { parseDocument } from 'yaml';
import type { Sourced } from '../../settings/index.ts';
import type { RenderedVariable } from '../bootstrapper.ts';
import {
  CLOUD_CONFIG,
  looksLikeMime,
  type MimePart,
  mediaTypeOf,
  NODE_CONFIG,
  parseMime,
  partOf,
  SHELL_SCRIPT,
} from './mime.ts';
import type { UserDataWarning } from './user-data.ts';

export interface UserParts {
  readonly parts: readonly MimePart[];
  readonly values: readonly RenderedVariable[];
  readonly warnings: readonly UserDataWarning[];
}

export const NODE_CONFIG_KIND = 'NodeConfig';
export const NODE_CONFIG_VERSION = 'node.eks.aws/v1alpha1';

/** @throws {UserDataError} `malformedUserData`. */
export function userParts(userData: Sourced<string>, reads: 'nodeadm' | 'bootstrapScript'): UserParts {
  const text = userData.value;
  const path = userData.path;
  if (text.trim() === '') return { parts: [], values: [], warnings: [] };
  const parts = looksLikeMime(text) ? parseMime(text, path) : [partOf(contentTypeOf(text, reads), text)];
  return {
    parts,
    values: parts.map((part, index) => ({
      name: `part ${index + 1}`,
      group: 'own user data',
      value: `${mediaTypeOf(part)}, ${Buffer.byteLength(part.body)} bytes`,
      source: userData.source,
      path,
      default: '',
    })),
    warnings: parts.flatMap((part, index) => doubts(part, index, path, reads)),
  };
}

// ---------------------------------------------------------------------------------------------------

function contentTypeOf(text: string, reads: 'nodeadm' | 'bootstrapScript'): string {
  const start = text.trimStart();
  if (start.startsWith('#!')) return SHELL_SCRIPT;
  if (start.startsWith('#cloud-config')) return CLOUD_CONFIG;
  return reads === 'nodeadm' && readMap(text) !== undefined ? NODE_CONFIG : SHELL_SCRIPT;
}

/** The map, or an empty one for a text of comments alone; nothing where the text is no YAML, or no map. */
function readMap(text: string): Readonly<Record<string, unknown>> | undefined {
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) return undefined;
  const value = plain(document);
  if (value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

/** Undefined for what only fails when it is resolved, such as `*name` without an anchor. */
function plain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

function doubts(
  part: MimePart,
  index: number,
  path: string,
  reads: 'nodeadm' | 'bootstrapScript',
): readonly UserDataWarning[] {
  const type = mediaTypeOf(part);
  const encoded = part.headers.some(
    ([name, value]) => /^content-transfer-encoding$/i.test(name) && !/^(7bit|8bit|binary)$/i.test(value),
  );
  const warn = (message: string): UserDataWarning[] => [
    { code: 'unusable', path, message: `part ${index + 1}: ${message}` },
  ];
  if (encoded) return [];
  if (type === 'text/x-shellscript' && !part.body.startsWith('#!')) {
    return warn('a script without a #! line cannot be run; start it with #!/bin/bash');
  }
  if (type !== NODE_CONFIG) return [];
  if (reads !== 'nodeadm') return warn('only nodes of the image family AL2023 read a NodeConfig');
  const config = readMap(part.body);
  return config?.['kind'] === NODE_CONFIG_KIND && config['apiVersion'] === NODE_CONFIG_VERSION
    ? []
    : warn(`it is read as a NodeConfig, and lacks apiVersion ${NODE_CONFIG_VERSION} and kind NodeConfig`);
}

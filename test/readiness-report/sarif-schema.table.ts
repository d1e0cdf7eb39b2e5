/**
 * The rules of the schema of SARIF 2.1.0 (OASIS) for the objects that a report contains: required fields, types, choices,
 * and that other fields are refused. What code scanning asks for beyond it is in the test.
 */
import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const message: Schema = {
  type: 'object',
  properties: { text, markdown: text, id: text, arguments: { type: 'array', items: text } },
};
const multiformat: Schema = { type: 'object', required: ['text'], properties: { text, markdown: text } };
const bag: Schema = { type: 'object', open: true, properties: { tags: { type: 'array', items: text } } };
const level: Schema = { oneOf: ['none', 'note', 'warning', 'error'] };

const physicalLocation: Schema = {
  type: 'object',
  required: ['artifactLocation'],
  properties: {
    artifactLocation: {
      type: 'object',
      properties: {
        uri: { type: 'string', pattern: /^[^\s\\]+$/ },
        uriBaseId: text,
        index: { type: 'integer' },
      },
    },
    region: {
      type: 'object',
      properties: { startLine: { type: 'integer', minimum: 1 }, endLine: { type: 'integer', minimum: 1 } },
    },
  },
};

const location: Schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    physicalLocation,
    logicalLocations: {
      type: 'array',
      items: { type: 'object', properties: { name: text, fullyQualifiedName: text, kind: text } },
    },
    message,
  },
};

const rule: Schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: text,
    name: text,
    shortDescription: multiformat,
    fullDescription: multiformat,
    help: multiformat,
    helpUri: { type: 'string', pattern: /^https:\/\// },
    defaultConfiguration: { type: 'object', properties: { level, enabled: { type: 'boolean' } } },
    properties: bag,
  },
};

const result: Schema = {
  type: 'object',
  required: ['message'],
  properties: {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: -1 },
    kind: { oneOf: ['notApplicable', 'pass', 'fail', 'review', 'open', 'informational'] },
    level,
    message,
    locations: { type: 'array', items: location },
    relatedLocations: { type: 'array', items: location },
    partialFingerprints: { type: 'object' },
    baselineState: { oneOf: ['new', 'unchanged', 'updated', 'absent'] },
    suppressions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind'],
        properties: {
          kind: { oneOf: ['inSource', 'external'] },
          status: { oneOf: ['accepted', 'underReview', 'rejected'] },
          justification: text,
          location,
          properties: bag,
        },
      },
    },
    properties: bag,
  },
};

const notification: Schema = {
  type: 'object',
  required: ['message'],
  properties: {
    level,
    message,
    locations: { type: 'array', items: location },
    associatedRule: { type: 'object', properties: { id: text } },
  },
};

const run: Schema = {
  type: 'object',
  required: ['tool'],
  properties: {
    tool: {
      type: 'object',
      required: ['driver'],
      properties: {
        driver: {
          type: 'object',
          required: ['name'],
          properties: {
            name: text,
            version: text,
            semanticVersion: text,
            informationUri: text,
            rules: { type: 'array', items: rule },
          },
        },
      },
    },
    invocations: {
      type: 'array',
      items: {
        type: 'object',
        required: ['executionSuccessful'],
        properties: {
          executionSuccessful: { type: 'boolean' },
          toolExecutionNotifications: { type: 'array', items: notification },
        },
      },
    },
    columnKind: { oneOf: ['utf16CodeUnits', 'unicodeCodePoints'] },
    results: { type: 'array', items: result },
    properties: bag,
  },
};

export const SARIF_SCHEMA: Schema = {
  type: 'object',
  required: ['version', 'runs'],
  properties: {
    $schema: { type: 'string', pattern: /^https:\/\// },
    version: { oneOf: ['2.1.0'] },
    runs: { type: 'array', items: run },
  },
};

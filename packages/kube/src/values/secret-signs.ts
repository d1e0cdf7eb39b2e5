/**
 * A part of each text in which something is hidden. Most texts have none of it, and are not searched: to compile all patterns
 * takes longer than to answer a question.
 */
import { SECRET_NAME_END } from './secret-names.ts';

export function mayHoldSecret(text: string): boolean {
  return IN_ANY_CASE.test(text) || AS_WRITTEN.test(text);
}

// ---------------------------------------------------------------------------------------------------

const IN_ANY_CASE = new RegExp(
  [
    SECRET_NAME_END,
    'pass|auth|cookie|identified|securestring',
    '\\b(?:pw|pem|sas|sig|signature)\\b',
    // Keys, headers, commands of clouds, addresses with a user.
    'private key|commandtoexecute|bearer|basic|jdbc:oracle|app_key',
    '(?:[?&_.-]|u0026|%26)sig(?:nature)?(?:=|%3d)',
    '://\\S{1,600}@|@(?:tcp|udp|unix)',
    // Commands of which an argument is a password, and arguments that have a user and a password.
    'rabbitmqctl|login|mysql|mariadb|redis-cli|ldap|sqlcmd|bcp|mongo|cqlsh|user(?:add|mod)|setuser|net1?(?:\\.exe)?\\s{1,4}use',
    '[\\s"\'](?:-[a-z]{0,8}u|--[\\w-]{0,32}(?:user|creds))',
    'hooks\\.slack|webhook\\.office|api\\.telegram|discord(?:app)?\\.com/api',
  ].join('|'),
  'i',
);

/** Tokens, by their form. */
const AS_WRITTEN =
  /\.[a-z0-9]{16}|eyJ|k8s-aws-v1|gh[pousr]_|\dQ~|glpat-|gl(?:rt|dt|cbt)-|npm_|xox|xapp-|hv[sbr]\.|(?<![\w-])sk-|k_(?:live|test)|hf_|glsa_|nvapi-|tskey-|pypi-|AKCp|ya29|GOCSPX|NRAK|dapi|ATATT3|UFJJVkFURS|QUklWQVRF|BSSVZBVE|AIza|SG\./;

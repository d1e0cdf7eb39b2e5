export { cloudOfValues, type KeyAction, type KeyReport, type Migration, migrateValues } from './migrate.ts';
export {
  COMMAND_KEYS,
  gateName,
  type OptionKey,
  type OptionPlace,
  optionKeys,
  settingName,
  TEXT_INTEGERS,
} from './option-keys.ts';

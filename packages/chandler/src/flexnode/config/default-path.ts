/** Where the original has its config file, and so do we. A file of its own: help pages need it and nothing else. */
export const DEFAULT_CONFIG_PATH = '/etc/aks-flex-node/config.json';

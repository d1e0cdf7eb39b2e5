/** Made from deploy/rbac-aws.yaml by `npm run generate`; change that file, not this one. */
import type { KubeObject } from '@chandler/kube';

export const CONTROLLER_ROLES: readonly KubeObject[] = [
  {
    "apiVersion": "v1",
    "kind": "ServiceAccount",
    "metadata": {
      "name": "chandler",
      "namespace": "kube-system"
    }
  },
  {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {
      "name": "chandler"
    },
    "rules": [
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodepools",
          "nodeclaims"
        ],
        "verbs": [
          "list",
          "watch",
          "patch"
        ]
      },
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodeclaims"
        ],
        "verbs": [
          "create",
          "delete"
        ]
      },
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodeclaims"
        ],
        "verbs": [
          "get"
        ]
      },
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodepools"
        ],
        "verbs": [
          "get"
        ]
      },
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodepools/status",
          "nodeclaims/status"
        ],
        "verbs": [
          "patch"
        ]
      },
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodeoverlays"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodeoverlays/status"
        ],
        "verbs": [
          "patch"
        ]
      },
      {
        "apiGroups": [
          "karpenter.sh"
        ],
        "resources": [
          "nodepools/finalizers",
          "nodeclaims/finalizers"
        ],
        "verbs": [
          "update"
        ]
      },
      {
        "apiGroups": [
          "karpenter.k8s.aws"
        ],
        "resources": [
          "ec2nodeclasses"
        ],
        "verbs": [
          "list",
          "watch",
          "patch"
        ]
      },
      {
        "apiGroups": [
          "karpenter.k8s.aws"
        ],
        "resources": [
          "ec2nodeclasses/status"
        ],
        "verbs": [
          "patch"
        ]
      },
      {
        "apiGroups": [
          "apiextensions.k8s.io"
        ],
        "resources": [
          "customresourcedefinitions"
        ],
        "resourceNames": [
          "nodepools.karpenter.sh",
          "nodeclaims.karpenter.sh",
          "nodeoverlays.karpenter.sh",
          "ec2nodeclasses.karpenter.k8s.aws"
        ],
        "verbs": [
          "get"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "nodes"
        ],
        "verbs": [
          "get",
          "list",
          "watch",
          "patch",
          "delete"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "pods"
        ],
        "verbs": [
          "list",
          "watch",
          "delete"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "pods/eviction"
        ],
        "verbs": [
          "create"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "namespaces",
          "persistentvolumes",
          "persistentvolumeclaims"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          "apps"
        ],
        "resources": [
          "daemonsets"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "services",
          "replicationcontrollers"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          "apps"
        ],
        "resources": [
          "replicasets",
          "statefulsets"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          "policy"
        ],
        "resources": [
          "poddisruptionbudgets"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          "storage.k8s.io"
        ],
        "resources": [
          "storageclasses",
          "csinodes",
          "volumeattachments"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "events"
        ],
        "verbs": [
          "create",
          "patch"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "events"
        ],
        "verbs": [
          "get"
        ]
      }
    ]
  },
  {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRoleBinding",
    "metadata": {
      "name": "chandler"
    },
    "roleRef": {
      "apiGroup": "rbac.authorization.k8s.io",
      "kind": "ClusterRole",
      "name": "chandler"
    },
    "subjects": [
      {
        "kind": "ServiceAccount",
        "name": "chandler",
        "namespace": "kube-system"
      }
    ]
  },
  {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "metadata": {
      "name": "chandler",
      "namespace": "kube-system"
    },
    "rules": [
      {
        "apiGroups": [
          "coordination.k8s.io"
        ],
        "resources": [
          "leases"
        ],
        "verbs": [
          "create"
        ]
      },
      {
        "apiGroups": [
          "coordination.k8s.io"
        ],
        "resources": [
          "leases"
        ],
        "resourceNames": [
          "karpenter-leader-election"
        ],
        "verbs": [
          "get",
          "update"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "configmaps"
        ],
        "resourceNames": [
          "karpenter-global-settings"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "configmaps"
        ],
        "resourceNames": [
          "karpenter-global-settings"
        ],
        "verbs": [
          "get"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "configmaps"
        ],
        "resourceNames": [
          "upcoming-maintenance-window"
        ],
        "verbs": [
          "get"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "configmaps"
        ],
        "resourceNames": [
          "chandler-failed-journeys"
        ],
        "verbs": [
          "get",
          "patch"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "configmaps"
        ],
        "resourceNames": [
          "chandler-disruption-history"
        ],
        "verbs": [
          "get",
          "patch"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "configmaps"
        ],
        "resourceNames": [
          "chandler-freeze"
        ],
        "verbs": [
          "list",
          "watch"
        ]
      },
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "configmaps"
        ],
        "verbs": [
          "create"
        ]
      }
    ]
  },
  {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {
      "name": "chandler",
      "namespace": "kube-system"
    },
    "roleRef": {
      "apiGroup": "rbac.authorization.k8s.io",
      "kind": "Role",
      "name": "chandler"
    },
    "subjects": [
      {
        "kind": "ServiceAccount",
        "name": "chandler",
        "namespace": "kube-system"
      }
    ]
  },
  {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "metadata": {
      "name": "chandler-cluster-facts",
      "namespace": "kube-system"
    },
    "rules": [
      {
        "apiGroups": [
          ""
        ],
        "resources": [
          "services"
        ],
        "resourceNames": [
          "kube-dns"
        ],
        "verbs": [
          "get"
        ]
      },
      {
        "apiGroups": [
          "apps"
        ],
        "resources": [
          "daemonsets"
        ],
        "resourceNames": [
          "aws-node"
        ],
        "verbs": [
          "get"
        ]
      }
    ]
  },
  {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {
      "name": "chandler-cluster-facts",
      "namespace": "kube-system"
    },
    "roleRef": {
      "apiGroup": "rbac.authorization.k8s.io",
      "kind": "Role",
      "name": "chandler-cluster-facts"
    },
    "subjects": [
      {
        "kind": "ServiceAccount",
        "name": "chandler",
        "namespace": "kube-system"
      }
    ]
  }
];

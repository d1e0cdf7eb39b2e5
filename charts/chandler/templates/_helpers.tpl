{{- define "chandler.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "chandler.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "chandler.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "chandler.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "chandler.selectorLabels" -}}
app.kubernetes.io/name: {{ include "chandler.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "chandler.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "chandler.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Annotations of every object, and those that are given; with the line break before them. */}}
{{- define "chandler.annotations" -}}
{{- with merge (dict) (deepCopy (.own | default dict)) (.root.Values.additionalAnnotations | default dict) }}
{{- "\n" }}  annotations:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}

{{- define "chandler.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "chandler.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "chandler.leaseName" -}}
{{- .Values.settings.leaderElectionName | default "karpenter-leader-election" }}
{{- end }}

{{- define "chandler.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}
{{- end }}

{{- define "chandler.priorityClassName" -}}
{{- if .Values.priorityClass.create }}{{ include "chandler.fullname" . }}{{ else }}{{ .Values.priorityClassName }}{{ end }}
{{- end }}

{{- /* Empty when the cluster is not checked. */}}
{{- define "chandler.readinessCheck" -}}
{{- if not (regexMatch "^0*(\\.0*)?(ns|us|µs|ms|s|m|h)?$" .Values.controller.readinessCheckInterval) }}
{{- .Values.controller.readinessCheckInterval }}
{{- end }}
{{- end }}

{{- /* Where the page listens: on loopback, unless it has names for others. */}}
{{- define "chandler.pageAddress" -}}
{{- .Values.page.bindAddress | default (ternary "0.0.0.0" "127.0.0.1" (not (empty .Values.page.hosts))) }}
{{- end }}

{{- /* Whether others than kubectl port-forward can reach the page. */}}
{{- define "chandler.pageIsExposed" -}}
{{- if and .Values.page.enabled (not (or (hasPrefix "127." (include "chandler.pageAddress" .)) (eq "::1" (include "chandler.pageAddress" .)))) }}true{{ end }}
{{- end }}

{{- /* The value at a dotted path as the controller reads it, as {"set": …, "text": …}. */}}
{{- define "chandler.optionText" -}}
{{- $parts := splitList "." .option.path }}
{{- $value := index .values (first $parts) }}
{{- range rest $parts }}{{ $value = ternary (index ($value | default dict) .) nil (kindIs "map" $value) }}{{ end }}
{{- $text := "" }}
{{- if kindIs "invalid" $value }}
{{- else if eq .option.type "integer" }}{{ $text = printf "%d" (int64 $value) }}
{{- else if eq .option.type "list" }}{{ $text = join "," $value }}
{{- else if eq .option.type "map" }}
{{- $pairs := list }}
{{- range $key, $each := $value }}{{ $pairs = append $pairs (printf "%s=%v" $key $each) }}{{ end }}
{{- $text = join "," $pairs }}
{{- else if eq .option.type "gates" }}
{{- $pairs := list }}
{{- $gates := .option.gates }}
{{- range $key, $each := $value }}{{ $pairs = append $pairs (printf "%s=%v" (index $gates $key) $each) }}{{ end }}
{{- $text = join "," $pairs }}
{{- else if and (eq .option.type "document") (kindIs "map" $value) }}{{ $text = toYaml $value }}
{{- else }}{{ $text = toString $value }}
{{- end }}
{{- dict "set" (not (kindIs "invalid" $value)) "text" $text | toJson }}
{{- end }}

{{- /* The settings of the ConfigMap as JSON: all of them, or those that take effect only with a restart. */}}
{{- define "chandler.settings" -}}
{{- $options := index (.root.Files.Get "files/options.yaml" | fromYaml) .root.Values.cloud }}
{{- $data := dict }}
{{- range $options }}
{{- if and (hasKey . "key") (not (and $.restart (hasKey . "live"))) }}
{{- $read := include "chandler.optionText" (dict "option" . "values" $.root.Values) | fromJson }}
{{- if $read.set }}{{ $_ := set $data .key $read.text }}{{ end }}
{{- end }}
{{- end }}
{{- $data | toJson }}
{{- end }}

{{- /* Variables that would change the controller alone: roles, probes and other objects are made from these keys. */}}
{{- define "chandler.reservedVariables" -}}
CHANDLER_CLOUD: cloud
DISABLE_LEADER_ELECTION: settings.disableLeaderElection
DISRUPTION_SURGE: settings.disruptionSurge
FEATURE_GATES: settings.featureGates
HEALTH_PROBE_PORT: controller.healthProbe.port
LEADER_ELECTION_NAME: settings.leaderElectionName
LEADER_ELECTION_NAMESPACE: settings.leaderElectionNamespace
METRICS_PORT: controller.metrics.port
PAGE: page.enabled
PAGE_BIND_ADDRESS: page.bindAddress
PAGE_HOSTS: page.hosts
PAGE_PORT: page.port
READINESS_CHECK_INTERVAL: controller.readinessCheckInterval
SYSTEM_NAMESPACE: the namespace of the release
{{- end }}

{{- /* What the schema cannot say: options of another cloud, options that are required, and variables that are reserved. */}}
{{- define "chandler.validate" -}}
{{- $all := .Files.Get "files/options.yaml" | fromYaml }}
{{- $own := index $all .Values.cloud }}
{{- $known := dict }}
{{- range $own }}{{ $_ := set $known .path . }}{{ end }}
{{- $variables := dict }}
{{- range .Values.controller.env }}{{ $_ := set $variables .name true }}{{ end }}
{{- $problems := list }}
{{- range $cloud, $options := $all }}
{{- range $options }}
{{- if not (hasKey $known .path) }}
{{- $parts := splitList "." .path }}
{{- if hasKey (index $.Values (first $parts) | default dict) (last $parts) }}
{{- $problems = append $problems (printf "%s: is an option of cloud %s, but cloud is %s; remove it" .path $cloud $.Values.cloud) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $key := include "chandler.reservedVariables" . | fromYaml }}
{{- if or (hasKey $variables $name) (hasKey $variables (printf "%s_FILE" $name)) }}
{{- $problems = append $problems (printf "controller.env: %s: set %s instead" $name $key) }}
{{- end }}
{{- end }}
{{- if and (include "chandler.pageIsExposed" .) (empty .Values.page.hosts) }}
{{- $problems = append $problems "page.bindAddress: is reached by others, but page.hosts is empty, and no other name is answered; set page.hosts" }}
{{- end }}
{{- if and .Values.settings.disableLeaderElection (or (gt (int .Values.replicas) 1) (ne (dig "type" "RollingUpdate" (.Values.strategy | default dict)) "Recreate")) }}
{{- $problems = append $problems "settings.disableLeaderElection: without a leader every replica launches nodes; set replicas to 1 and strategy.type to Recreate, or remove it" }}
{{- end }}
{{- if not (or .Values.serviceAccount.create .Values.serviceAccount.name) }}
{{- $problems = append $problems "serviceAccount.name: is required where serviceAccount.create is false; the account default is that of every pod in the namespace without one of its own" }}
{{- end }}
{{- $federated := or .Values.identity.azureClientId .Values.identity.awsRoleArn (hasKey .Values.serviceAccount.annotations "azure.workload.identity/client-id") (hasKey .Values.serviceAccount.annotations "eks.amazonaws.com/role-arn") }}
{{- range list "AZURE_CLIENT_SECRET" "AWS_ACCESS_KEY_ID" }}
{{- if and $federated (or (hasKey $variables .) (hasKey $variables (printf "%s_FILE" .))) }}
{{- $problems = append $problems (printf "controller.env: %s: is a second identity beside that of the ServiceAccount; remove one of them" .) }}
{{- end }}
{{- end }}
{{- if not .Values.controller.envFrom }}
{{- range $own }}
{{- if hasKey . "required" }}
{{- $read := include "chandler.optionText" (dict "option" . "values" $.Values) | fromJson }}
{{- $set := and $read.set $read.text }}
{{- range .env }}{{ if or (hasKey $variables .) (hasKey $variables (printf "%s_FILE" .)) }}{{ $set = true }}{{ end }}{{ end }}
{{- if not $set }}{{ $problems = append $problems (printf "%s: is required on cloud %s" .path $.Values.cloud) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- if $problems }}{{ fail (printf "invalid values:\n%s" (join "\n" $problems)) }}{{ end }}
{{- end }}

{{- /* Affinity whose pod terms select the pods of this release where they select nothing. */}}
{{- define "chandler.affinity" -}}
{{- $affinity := deepCopy .Values.affinity }}
{{- $selector := dict "matchLabels" (include "chandler.selectorLabels" . | fromYaml) }}
{{- range $kind := list "podAffinity" "podAntiAffinity" }}
{{- $terms := index $affinity $kind | default dict }}
{{- range $terms.requiredDuringSchedulingIgnoredDuringExecution }}
{{- if not (hasKey . "labelSelector") }}{{ $_ := set . "labelSelector" $selector }}{{ end }}
{{- end }}
{{- range $terms.preferredDuringSchedulingIgnoredDuringExecution }}
{{- if not (hasKey .podAffinityTerm "labelSelector") }}{{ $_ := set .podAffinityTerm "labelSelector" $selector }}{{ end }}
{{- end }}
{{- end }}
{{- toYaml $affinity }}
{{- end }}

{{- define "chandler.topologySpreadConstraints" -}}
{{- $constraints := list }}
{{- $selector := dict "matchLabels" (include "chandler.selectorLabels" . | fromYaml) }}
{{- range .Values.topologySpreadConstraints }}
{{- $constraint := deepCopy . }}
{{- if not (hasKey $constraint "labelSelector") }}{{ $_ := set $constraint "labelSelector" $selector }}{{ end }}
{{- $constraints = append $constraints $constraint }}
{{- end }}
{{- toYaml $constraints }}
{{- end }}

{{- define "detourage.selector" -}}
app.kubernetes.io/name: detourage
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "detourage.labels" -}}
{{ include "detourage.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "detourage.metadata" -}}
name: {{ .root.Release.Name }}-{{ .name }}
labels:
  {{- include "detourage.labels" . | nindent 2 }}
{{- end }}

{{/* Differences between the processes. Those without a probe are probed by `detourage health`. */}}
{{- define "detourage.processes" -}}
intake:
  command: [detourage, intake]
  role: service
  queues: [crawler.pages]
relay:
  command: [detourage, relay]
  role: service
worker:
  command:
    - celery
    - --quiet
    - -A
    - worker
    - worker
    - -E
    - --without-gossip
    - --without-mingle
    - --concurrency={{ .Values.processes.worker.concurrency }}
    - --max-memory-per-child=600000
  role: service
  queues:
    - detourage.assign
    - detourage.compare
    - detourage.cluster
    - detourage.extract
    - detourage.reprocess
    - detourage.maintenance
  # Maximum duration of a page task, as in worker.service.celery_application.
  grace: {{ addf (minf (mulf 10 (.Values.settings.DETOURAGE_PAGE_SECONDS | default 60)) 1470) 30 | ceil }}
beat:
  command: [celery, --quiet, -A, worker, beat, --schedule, /tmp/schedule, --pidfile=]
  role: service
metrics:
  command: [detourage, status, --prometheus, --host, 0.0.0.0, --port, "9464"]
  role: read
  port: 9464
  # GET /metrics would query the database, which a restart of this process does not repair.
  probe: {tcpSocket: {port: 9464}}
inspector:
  command:
    - detourage
    - inspect
    - --listen=0.0.0.0
    - --port=8460
    - --token-file=/etc/detourage/inspector_password
  role: read
  port: 8460
  probe: {httpGet: {path: /static/inspector.css, port: 8460}}
  secrets: [inspector_password]
  environment: {MALLOC_ARENA_MAX: "1"}
stories:
  command: [detourage, stories, work]
  role: service
  probe: {exec: {command: [detourage, stories, health]}}
{{- end }}

{{/* Pod of a process: root, name, process (see above), resources and restartPolicy. */}}
{{- define "detourage.pod" -}}
{{- $values := .root.Values -}}
{{- $database := printf "database_url_%s" .process.role -}}
metadata:
  labels:
    {{- include "detourage.labels" . | nindent 4 }}
spec:
  {{- with $values.pod }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  restartPolicy: {{ .restartPolicy }}
  automountServiceAccountToken: false
  # The variables of service links would look like unknown settings.
  enableServiceLinks: false
  # Makes the pause container process 1: it reaps orphans. SIGTERM then also ends a process that is still starting,
  # which would ignore the signal as process 1.
  shareProcessNamespace: true
  terminationGracePeriodSeconds: {{ .process.grace | default 30 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: {{ .name }}
      image: {{ $values.image }}
      command: {{ toJson .process.command }}
      env:
        - name: DETOURAGE_DATABASE_URL_FILE
          value: /etc/detourage/{{ $database }}
        {{- if ne .process.role "owner" }}
        - name: DETOURAGE_BROKER_URL_FILE
          value: /etc/detourage/broker_url
        {{- end }}
        {{- with $values.certificateAuthority }}
        - name: DETOURAGE_BROKER_CA_FILE
          value: /etc/detourage/{{ . }}
        {{- end }}
        {{- range $name, $value := merge (dict) (.process.environment | default dict) $values.settings }}
        - name: {{ $name }}
          value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
        {{- end }}
      {{- if and $values.environmentSecret (ne .process.role "owner") }}
      envFrom:
        - secretRef:
            name: {{ $values.environmentSecret }}
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      {{- with .process.port }}
      ports:
        - name: http
          containerPort: {{ . }}
      {{- end }}
      {{- if .process.probe }}
      startupProbe: &probe
        {{- toYaml .process.probe | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 20
        failureThreshold: 12
      livenessProbe: *probe
      readinessProbe: *probe
      {{- else if ne .process.role "owner" }}
      startupProbe:
        exec: &health
          command: [detourage, health, {{ .name }}]
        periodSeconds: 10
        timeoutSeconds: 20
        failureThreshold: 12
      # Ten minutes, since a restart does not help a process that waits for an unavailable server.
      livenessProbe:
        exec: *health
        periodSeconds: 30
        timeoutSeconds: 20
        failureThreshold: 20
      readinessProbe:
        exec:
          command: [detourage, health]
        periodSeconds: 60
        timeoutSeconds: 20
      {{- end }}
      volumeMounts:
        - name: secrets
          mountPath: /etc/detourage
          readOnly: true
        - name: temporary
          mountPath: /tmp
  volumes:
    - name: secrets
      secret:
        secretName: {{ $values.secret }}
        defaultMode: 0440
        items:
          {{- range compact (concat (list $database (ternary "" "broker_url" (eq .process.role "owner")) $values.certificateAuthority) (.process.secrets | default list)) }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    - name: temporary
      emptyDir:
        sizeLimit: 256Mi
{{- end }}

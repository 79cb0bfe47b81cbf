/** Further ways in which secrets stand in files, each found by an attack on the masks. `%` stands for the secret. */

/** Lines of a service. */
export const FURTHER_LINES: readonly string[] = [
  `x-login: { password: %, note: "token=%" }`,
  'command: ["app", "${DB_PASSWORD:-%}"]',
  'labels: { plain: "${APP_TOKEN:-%}" }',
  'labels: { a: "${NEEDED:?set password=%}" }',
  'command: ["app", "--x=${FLAG:+password=%}"]',
  "command: app --password %",
  'command: ["ipmitool", "-U", "ada", "-P", %, "power"]',
  'command: ["openssl", "rsa", "-passin", "pass:%"]',
  'command: ["gpg", "--passphrase", %, "-d", "x"]',
  'command: ["7z", "x", "-p%", "a.7z"]',
  'command: ["zip", "-P", %, "a.zip"]',
  'command: ["unzip", "-P", %, "a.zip"]',
  'command: ["sqlplus", "ada/%@db"]',
  'command: ["/opt/mssql-tools/bin/sqlcmd", "-U", "sa", "-P", %]',
  'command: ["rabbitmqctl", "add_user", "ada", %]',
  'command: ["rabbitmqctl", "change_password", "ada", %]',
  'command: ["mosquitto_passwd", "-b", "f", "ada", %]',
  'command: ["mosquitto_pub", "-u", "ada", "-P", %, "-t", "x"]',
  'command: ["vault", "login", %]',
  'command: ["cqlsh", "-u", "ada", "-p", %]',
  'command: ["psql", "host=db user=ada password=%"]',
  'command: ["wget", "--http-password=%", "http://x"]',
  'command: ["wget", "--header=Authorization: Token %", "http://x"]',
  `command: ["curl", "-H", "Authorization: token %", "http://x"]`,
  `command: ["curl", "-H", "PRIVATE-TOKEN: %", "http://x"]`,
  'command: ["curl", "-uadmin:%", "http://x"]',
  `command: ["curl", "-d", "user=a&password=%", "http://x"]`,
  `command: ["curl", "-d", '{"password": "%"}', "http://x"]`,
  'command: ["curl", "--proxy-user", "ada:%", "http://x"]',
  'command: ["curl", "-U", "ada:%", "http://x"]',
  'command: ["kcat", "-X", "sasl.password=%"]',
  'command: ["etcdctl", "--user", "root:%", "get", "x"]',
  `command: ["sh", "-c", "echo 'root:%' | chpasswd"]`,
  `command: ["sh", "-c", "echo % | docker login --password-stdin"]`,
  `command: ["bash", "-c", "mysql <<< 'password=%'"]`,
  'command: ["ssh-keygen", "-N", %, "-f", "k"]',
  'command: ["rclone", "--sftp-pass", %, "ls"]',
  'command: ["sh", "-c", "RESTIC_PASSWORD=% restic backup"]',
  'command: ["sh", "-c", "export DB_PASSWORD=%; run"]',
  `command: ["sh", "-c", "export DB_PASSWORD='% more'; run"]`,
  'command: ["mount", "-t", "cifs", "-o", "username=ada,password=%", "//x", "/y"]',
  'command: ["mount", "-o", "user=ada,pass=%"]',
  'command: ["git", "clone", "https://oauth2:%@git.example/x"]',
  'command: ["app", "redis://:%@db:6379"]',
  'command: ["app", "jdbc:mysql://db/x?user=a&password=%"]',
  'command: ["app", "jdbc:oracle:thin:ada/%@db:1521/x"]',
  'command: ["app", "Server=db;User Id=a;Password=%;"]',
  'command: ["app", "Server=db;Uid=a;Pwd=%;"]',
  'command: ["app", "Server=db; Password = %; x"]',
  'command: ["app", "{user: ada, password: %}"]',
  `command: ["app", 'password = "%"']`,
  `command: ["app", "--set", "auth.password=%"]`,
  `command: ["app", "--dbPassword=%"]`,
  `command: ["app", "--adminPassword", %]`,
  `command: ["app", "/p:Password=%"]`,
  `command: ["java", "-Dspring.datasource.password=%", "-jar", "x"]`,
  `command: ["java", "-Djavax.net.ssl.keyStorePassword=%"]`,
  'command: ["influx", "-password", %]',
  'command: ["app", "-token", %]',
  'command: ["tunnel", "run", "--token", %]',
  'labels: ["traefik.http.middlewares.a.basicauth.users=ada:%"]',
  'labels: { home: "https://ada:%@x" }',
  `labels: { cfg: '{"token":"%"}' }`,
  'healthcheck: { test: ["CMD", "curl", "http://a:%@localhost"] }',
  'healthcheck: { test: ["CMD", "mysqladmin", "ping", "-p%"] }',
  'healthcheck: { test: "mysqladmin ping -uroot -p% || exit 1" }',
  'healthcheck: { test: ["CMD", "redis-cli", "-a", %, "ping"] }',
  "pre_stop: [{ command: [a], environment: { DB_PASSWORD: % } }]",
  'post_start: [{ command: [a], environment: ["DB_PASSWORD=%"] }]',
  'build: { context: ., args: ["NPM_TOKEN=%"] }',
  'build: { context: "https://ada:%@git.example/x.git" }',
  'build: { context: ., dockerfile_inline: "ENV DB_PASSWORD=%" }',
  'build: { context: ., cache_to: ["type=s3,secret_access_key=%"] }',
  "build: { context: ., labels: { api.token: % } }",
  "logging: { driver: splunk, options: { splunk-token: % } }",
  'logging: { driver: loki, options: { loki-url: "http://ada:%@x" } }',
  "annotations: { app.token: % }",
  "environment: { DB: { password: % } }",
  "environment: { DB_PASSWORD: [%] }",
  'environment: ["DB_PASSWORD = %"]',
  'environment: ["DB_PASSWORD: %"]',
  'environment: { "DB_PASSWORD=%": }',
  'env_file: ["DB_PASSWORD=%"]',
  "db_password: %",
  'databse: "password=%"',
  "deploy: { secretz: { password: % } }",
  "labels: { app.token: !secret % }",
  "labels:\n      ? app.token\n      : %",
  "command:\n      - app\n      - >-\n        --password=%",
  "labels: { a: b } # token: %",
  "# redis-cli -a %\n    labels: { a: b }",
  "sysctls: { a.password: % }",
  'entrypoint: ["sh", "-c", "exec app --secret-key %"]',
];

/** Files that are searched alone, because what is odd in one would change how the others are read. */
export const FURTHER_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a template without an end": {
    "compose.yaml": 'services: { a: { command: ["app", "${DB_PASSWORD:-%"] } }\n',
  },
  "a name that is given twice": {
    "compose.yaml": 'services: { a: { image: x, labels: { app.token: %, "app.token": %2 } } }\n',
  },
  "merged mappings": {
    "compose.yaml":
      "x-common: &common\n  environment: &env\n    DB_PASSWORD: %\nservices:\n  a:\n    <<: *common\n" +
      "    image: x\n    environment:\n      <<: *env\n      B: c\n  b:\n    image: x\n    <<: [*common, { labels: { app.token: % } }]\n",
  },
  "values of the wrong type": {
    "compose.yaml": 'services:\n  a: { image: x, environment: "DB_PASSWORD=%", command: { password: % } }\n' +
      '  b: { image: x, healthcheck: { test: { password: % } }, mem_limit: "password=%", ports: ["password=%"] }\n',
  },
  "extensions": {
    "compose.yaml": "x-db: { password: % }\nx-passwords: [%]\nx-tokens: { github: %, nested: { a: [%] } }\n" +
      "services: { a: { image: x } }\n",
  },
  "options of resources": {
    "compose.yaml":
      "services: { a: { image: x } }\nnetworks: { n: { driver_opts: { app.token: % }, labels: { api_key: % } } }\n" +
      'volumes: { v: { driver_opts: { o: "username=ada,password=%" } }, w: { labels: { app.token: % } } }\n' +
      "configs: { c: { content: 'password=%' }, d: { content: '{\"token\": \"%\"}' } }\n",
  },
  "addresses of other files": {
    "compose.yaml": 'include: ["https://ada:%@git.example/x.yaml"]\nservices:\n' +
      '  a: { extends: { file: "https://ada:%@git.example/x.yaml", service: x } }\n',
  },
  "a second document": {
    "compose.yaml":
      "services: { a: { image: x } }\n---\npassword: %\nservices: { b: { environment: { A_TOKEN: % } } }\n",
  },
  "a base with a mistake": {
    "compose.yaml": "services: { a: { extends: { file: base.yaml, service: base } } }\n",
    "base.yaml": 'services: { base: { image: x, environment: { DB_PASSWORD: "% } } }\n',
  },
  "berth's own settings": {
    "compose.yaml": "services: { a: { image: x } }\n",
    "berth.yaml": 'password: %\nrules: { "token=%": off }\n',
  },
  ...Object.fromEntries(
    ['DB_PASSWORD="%\nX=1\n', "DB_PASSWORD %\n", "export DB_PASSWORD=%\n", "=%\n", "DB-PASS WORD=%\n"]
      .concat([
        "A_TOKEN=%\nB=${A_TOKEN\nC=${A_TOKEN:?%}\n",
        "KEY='-----BEGIN X\n%\n-----END'\n",
        "A=$(echo %)\n",
      ])
      .map((text) => [
        `an environment file with ${JSON.stringify(text)}`,
        {
          "compose.yaml": 'services: { a: { image: x, env_file: a.env, labels: { a: "${DB_PASSWORD}" } } }\n',
          "a.env": text,
          ".env": text,
        },
      ]),
  ),
};

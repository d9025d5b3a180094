# Dovecot, an IMAP server for tests, from the distribution's packages: anybody's mailbox with the password hunter2, empty at
# first, by STARTTLS and by TLS with the certificate tls.pem. Its programs look for each other in /usr; they find themselves there in a view of the file system that only they have.
VERSION=$DOVECOT_VERSION
PORTS="$DOVECOT_PORT $DOVECOT_TLS_PORT"
START_LIMIT_S=20
NOBODY=65534  # whom it runs as within that view; outside it is whoever started it

install_server() {
    need unshare "Install util-linux."
    need openssl "Install openssl."
    unpack_packages "dovecot-core=$VERSION" "dovecot-imapd=$VERSION"
}

run_server() {
    local user group
    user=$(getent passwd $NOBODY | cut -d: -f1) group=$(getent group $NOBODY | cut -d: -f1)
    [ -s "$DIR/tls.pem" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost \
        -addext subjectAltName=IP:127.0.0.1 -keyout "$DIR/tls.key" -out "$DIR/tls.pem"
    cat >"$DIR/dovecot.conf" <<END
protocols = imap
listen = 127.0.0.1
base_dir = $DIR/run
state_dir = $DIR/run
log_path = /dev/stderr
ssl = yes
ssl_cert = <$DIR/tls.pem
ssl_key = <$DIR/tls.key
disable_plaintext_auth = no
default_internal_user = $user
default_internal_group = $group
default_login_user = $user
mail_location = maildir:$DIR/data/%u
first_valid_uid = 1
passdb {
  driver = static
  args = password=hunter2
}
userdb {
  driver = static
  args = uid=$NOBODY gid=$NOBODY home=$DIR/data/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = $DOVECOT_PORT
  }
  inet_listener imaps {
    port = $DOVECOT_TLS_PORT
    ssl = yes
  }
}
service anvil {
  chroot =
}
END
    exec unshare --map-user=$NOBODY --map-group=$NOBODY --keep-caps --mount sh -c \
        "mount -t overlay overlay -o lowerdir=$DIR/root/usr:/usr /usr && exec dovecot -F -c $DIR/dovecot.conf"
}

is_healthy() { curl -fsS --max-time 5 --user "healthy:hunter2" "imap://127.0.0.1:$DOVECOT_PORT/INBOX"; }

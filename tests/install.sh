# Installs other people's programs, for the runners in the folders here. To be sourced; `home` is where packages go, in a
# folder that is named after what is in it, so that another version makes another folder.

home=${MCP_FOREIGN_HOME:-$HOME/.cache/mcp-foreign}

# Makes the folder for some packages and prints its path. What an interrupted run left is made anew.
install() { # INSTALLER PACKAGE...
    local folder
    folder=$home/${1%_packages}+$(IFS=+ && echo "${*:2}" | tr / -)
    if [[ ! -e $folder/.complete ]]; then
        echo "installing ${*:2}" >&2
        rm -rf "$folder"
        mkdir -p "$folder"
        "$@" >&2 || return
        touch "$folder/.complete"
    fi
    echo "$folder"
}

pip_packages() { # PACKAGE...
    python3 -m venv "$folder" &&
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

npm_packages() { # PACKAGE...
    echo '{ "private": true }' >"$folder/package.json" &&
        npm install --prefix "$folder" --silent --no-audit --no-fund --save-exact "$@"
}

# The system's Node where it is new enough, otherwise the one that npm has as a package.
node_program() { # [AT_LEAST]
    if node --eval "process.exit(parseInt(process.versions.node) < ${1:-20} ? 1 : 0)"; then
        echo node
    else
        local folder
        folder=$(install npm_packages node@22) || return
        echo "$folder/node_modules/.bin/node"
    fi
}

# Prints free ports.
free_ports() { # NUMBER
    python3 -c '
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(socket.getsockname()[1] for socket in sockets))' "$1"
}

// Lines of [message, ProtoJSON] to lines of base64, or lines of [message, base64] to lines of ProtoJSON.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

IMPORTS
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		answer, err := convert(os.Args[1], lines.Bytes())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}
}

func convert(mode string, line []byte) (string, error) {
	var pair [2]json.RawMessage
	if err := json.Unmarshal(line, &pair); err != nil {
		return "", err
	}
	var name string
	if err := json.Unmarshal(pair[0], &name); err != nil {
		return "", err
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return "", err
	}
	message := kind.New().Interface()
	if mode == "encode" {
		if err := protojson.Unmarshal(pair[1], message); err != nil {
			return "", err
		}
		content, err := proto.Marshal(message)
		return base64.StdEncoding.EncodeToString(content), err
	}
	var content []byte
	if err := json.Unmarshal(pair[1], &content); err != nil {
		return "", err
	}
	if err := proto.Unmarshal(content, message); err != nil {
		return "", err
	}
	found, err := protojson.Marshal(message)
	return string(found), err
}
